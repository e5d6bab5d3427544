import CCurl
import Glibc
import TidingsSocket

// Callbacks of libcurl during a transfer. The context is the transfer, which the loop holds for as long as libcurl has the handle.

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer {
    guard let context = unsafe context else { preconditionFailure("libcurl called back without its context") }
    return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

/// `CURLOPT_OPENSOCKETFUNCTION`: the last call before a connection is made, with the address that the kernel will get.
func openSocket(_ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?) -> Int32 {
    guard let address = unsafe address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \curl_sockaddr.addr) else {
        return CURL_SOCKET_BAD
    }
    // The field is declared as the short general form; libcurl keeps `addrlen` bytes there.
    let target = unsafe IPAddress(socketAddress: UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
    guard unsafe transfer(context).allows(target) else { return CURL_SOCKET_BAD }
    let descriptor = unsafe socket(
        address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    guard descriptor >= 0, SpareDescriptor.isLeft(after: [descriptor]) else { return CURL_SOCKET_BAD }
    return descriptor
}

/// `CURLOPT_PREREQFUNCTION`: the connection is established and the request comes next. libcurl also calls this for a connection kept from
/// an earlier request, which may have had a different guard.
func requestBegins(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
    let address = unsafe peer.flatMap { unsafe IPAddress(String(cString: $0)) }
    return unsafe transfer(context).mayBeginSending(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// `CURLOPT_HEADERFUNCTION`: one whole line. A return value below the given size ends the transfer.
func headLineArrived(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    unsafe transfer(context).receive(headLine: buffer(bytes, size * count)) ? size * count : 0
}

/// `CURLOPT_WRITEFUNCTION`: a piece of the body. A return value below the given size ends the transfer.
func bodyArrived(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    unsafe transfer(context).receive(body: buffer(bytes, size * count)) ? size * count : 0
}

private func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(to: UInt8.self)
}
