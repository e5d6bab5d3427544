import Testing
import TidingsJSON
import TidingsTestSupport

@testable import TidingsLikes

/// The closed lists of words of likes in the OpenAPI document have the words of the code.
@Suite struct LikeContractTests {
    @Test func everyListHasTheWordsOfTheCode() throws {
        let document = try OpenAPIDocument.standard()
        let status = document.root["components"]?["schemas"]?["Like"]?["properties"]?["status"]?["enum"]?.arrayValue
        #expect(status == Like.Status.allCases.map { JSON(integerLiteral: Int64($0.rawValue)) })
        let answer = try #require(document.operations.first { $0.id == "answerLike" })
        let body = answer.body["requestBody"]?["content"]?["application/json"]?["schema"]
        #expect(body?["properties"]?["action"]?["enum"]?.arrayValue == LikeAnswer.allCases.map { JSON.string($0.rawValue) })
    }
}
