/** Runs the cases under Node. An argument selects the cases whose name contains it. Exit code 1: a case failed, or none was selected. */

import { readFile } from "node:fs/promises";
import * as library from "../../../Sources/Clients/InboxJS/tidings-inbox.js";
import { runPageCases } from "./page.mjs";
import { runCases } from "./runner.mjs";
import { runTabCases } from "./tabs.mjs";

const folder = new URL("../../../Sources/Clients/InboxJS/", import.meta.url);
const text = (name) => readFile(new URL(name, folder), "utf8");
// The script imports from the addresses of a server.
const addresses = { "/inbox/v1/tidings-inbox.js": "tidings-inbox.js", "/demo/icons.js": "icons.js" };
const script = Object.entries(addresses).reduce(
    (script, [address, name]) => script.replace(`"${address}"`, `"${new URL(name, folder)}"`), await text("demo.js"));
const table = JSON.parse(await readFile(new URL("cases.json", import.meta.url), "utf8"));
const filter = process.argv[2];
const counts = { passed: 0, failed: 0 };

async function show(results) {
    for await (const { name, problems } of results) {
        counts[problems.length === 0 ? "passed" : "failed"] += 1;
        console.log(`${problems.length === 0 ? "ok   " : "FAIL "} ${name}`);
        for (const problem of problems) console.log(`      ${problem}`);
    }
}

await show(runCases(table, library, filter));
await show(runTabCases(library, filter));
await show(runPageCases({ html: await text("demo.html"), style: await text("demo.css"), script }, filter));
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
