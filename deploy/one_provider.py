#!/usr/bin/env python3
"""Makes the binary that a plan with fewer traits describes, from the modules that the ordinary debug build has compiled.

usage: deploy/one_provider.py BUILD PLANNED

BUILD is the folder of a finished debug build with the default traits. PLANNED is a folder in which SwiftPM has planned the product
`tidings` with fewer traits, and compiled nothing. Both have the plan in debug.yaml: each command with its inputs, outputs and arguments.

1. Every command that the product needs, except those of the target `tidings`, must be the same in both plans. Only the flags of left-out
   traits may be missing. No source of a target whose flags differ may ask for a left-out trait or module in `#if`. So the build
   of the other plan would compile the same, and the files of BUILD stand in for its files.
2. PLANNED gets a link to each of these files, and to no other module. A module that the plan leaves out cannot be imported.
3. The commands of the target `tidings` run as they stand in the plan: one compilation and one link.

Nothing is written into BUILD. The binary is PLANNED/debug/tidings.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

# With the variable, the traits have the same order as in deploy/test. Another order would compile everything again.
AGAIN = "run SWIFT_DETERMINISTIC_HASHING=1 swift build --product tidings, then deploy/one-provider again"
WHOLE = "look at both debug.yaml; deploy/one-provider --whole builds without such a comparison"
FOLDER = "<folder>/"  # stands for the folder of a plan in every name, path and argument of the plan
# A condition goes on after an operator or an open parenthesis, and before an operator.
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|elseif)\b((?:.*(?:&&|\|\||\()[ \t]*\n)*.*(?:\n[ \t]*(?:&&|\|\|).*)*)", re.MULTILINE)


def fail(message, fix):
    sys.exit(f"one-provider: {message}\n    fix: {fix}")


class Plan:
    """The commands that the product needs, by name, each after the commands whose outputs it reads."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder) + "/"
        commands = self._read()
        links = [name for name in commands if re.fullmatch(r"C\.tidings-.*-debug\.exe", name)]
        if len(links) != 1:
            fail(f"the plan in {folder} is not one of the product tidings", AGAIN)
        self.binary = commands[links[0]]["outputs"][0]
        self.products = os.path.dirname(self.binary)
        self.compilation = links[0].removesuffix("exe") + "module"  # of the target tidings
        self.commands = self._needed(commands, links[0])

    def path(self, text):
        """An input, output or argument as the folder has it."""
        return text.replace(FOLDER, self.folder)

    def arguments(self, name):
        return self.commands[name].get("args", [])

    def is_of_main(self, name):
        """Whether the command belongs to the target tidings, or links the product."""
        own = (f"{self.products}/tidings.build/", f"{self.products}/tidings.product/")
        single = (self.binary, f"{self.products}/Modules/tidings.swiftmodule")
        return all(output.startswith(own) or output in single for output in self.commands[name]["outputs"])

    def modules(self):
        """The names of the Swift modules."""
        return {name[2:].split("-")[0] for name in self.commands if re.fullmatch(r"C\..*-debug\.module", name)}

    def _read(self):
        """Reads debug.yaml. SwiftPM writes each attribute of a command as JSON on a line of its own, or as a bare word."""
        try:
            with open(self.folder + "debug.yaml", encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            fail(f"{self.folder} has no plan of a build", AGAIN)
        commands = {}
        for line in text.replace(self.folder, FOLDER).partition("\ncommands:\n")[2].splitlines():
            if match := re.fullmatch(r'  (".*"):', line):
                command = commands.setdefault(json.loads(match[1]), {})
            elif match := re.fullmatch(r"    ([a-z-]+): (.*)", line):
                command[match[1]] = json.loads(match[2]) if match[2][0] in '["' else match[2]
            elif line:
                fail(f"the plan has a line that no known version of SwiftPM writes: {line[:100]}", WHOLE)
        return commands

    @staticmethod
    def _needed(commands, last):
        makers = {output: name for name, command in commands.items() for output in command.get("outputs", [])}
        needed, open_names = {}, [(last, False)]
        while open_names:
            name, has_inputs = open_names.pop()
            if has_inputs:
                needed[name] = commands[name]
            elif name not in needed:
                open_names.append((name, True))
                open_names += [(makers[path], False) for path in commands[name]["inputs"] if path in makers]
        return needed


def left_out(build, planned):
    """The flags of the traits that the plan leaves out."""
    flags = set(build.arguments(build.compilation)) - set(planned.arguments(planned.compilation))
    flags = {flag for flag in flags if flag.startswith("-D")}
    if not flags:
        fail("the plan leaves out no trait", "see the traits in Package.swift and in deploy/one-provider")
    return flags


def compare(build, planned):
    """Fails unless the build of the other plan would compile the same, outside of the target tidings. Returns a summary."""
    flags = left_out(build, planned)
    modules = build.modules() - planned.modules()
    compared, depending = 0, set()
    for name, command in planned.commands.items():
        if planned.is_of_main(name):
            continue
        ordinary = build.commands.get(name) or fail(f"the ordinary plan does not need {name}", WHOLE)
        arguments = ordinary.get("args", [])
        if set(arguments) & flags and not set(command.get("args", [])) & flags:
            depending.update(path for path in command["inputs"] if path.endswith(".swift"))
            arguments = [argument for argument in arguments if argument not in flags]
        for attribute in (command.keys() | ordinary.keys()) - {"description"}:
            one, other = command.get(attribute), arguments if attribute == "args" else ordinary.get(attribute)
            if one != other:
                fail(f"{name} has other {attribute} with one provider: {difference(one, other)}", f"{AGAIN}; or {WHOLE}")
        compared += 1
    check_conditions(build, depending, {flag[2:] for flag in flags} | modules)
    return (
        f"{compared} commands are the same with one provider; no #if of {len(depending)} files asks for a trait\n"
        f"traits left out: {' '.join(sorted(flag[2:] for flag in flags))}\nmodules left out: {' '.join(sorted(modules))}"
    )


def difference(one, other):
    if not isinstance(one, list) or not isinstance(other, list):
        return f"{one} instead of {other}"
    parts = [f"+{part}" for part in one if part not in other] + [f"-{part}" for part in other if part not in one]
    return " ".join(parts)[:300] or "their order"


def check_conditions(build, sources, names):
    """Fails if a source asks in `#if` for one of the names."""
    for path in sorted(sources):
        with open(build.path(path), encoding="utf-8") as file:
            text = file.read()
        for match in CONDITION.finditer(text):
            if asked := names & set(re.findall(r"\w+", match[1])):
                line = text.count("\n", 0, match.start()) + 1
                fail(
                    f"{os.path.relpath(build.path(path))}:{line} uses a trait in #if: {', '.join(sorted(asked))}",
                    "only the target tidings (Sources/Main) may depend on traits",
                )


def check_is_built(build):
    """Fails if a source has changed after the ordinary build, or if that build is not there."""
    binary = build.path(build.binary)
    if not os.path.exists(binary):
        fail(f"{os.path.relpath(binary)} is not there", AGAIN)
    paths = {path for command in build.commands.values() for path in command["inputs"]}
    for path in sorted(path for path in paths if path.endswith((".swift", ".c")) and not path.startswith(FOLDER)):
        if not os.path.exists(path) or os.path.getmtime(path) > os.path.getmtime(binary):
            fail(f"{os.path.relpath(path)} has changed after the debug build", AGAIN)


def provide(build, planned):
    """Puts a link to each file of the ordinary build where the commands of the target tidings look for it."""
    shutil.rmtree(planned.path(f"{planned.products}/Modules"), ignore_errors=True)
    for name, command in planned.commands.items():
        for output in [] if planned.is_of_main(name) else command["outputs"]:
            source, place = build.path(output), planned.path(output)
            if not os.path.exists(source):
                fail(f"{os.path.relpath(source)} is not there", AGAIN)
            replace_by_link(source, place)


def replace_by_link(source, place):
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.lexists(place):
        os.remove(place)
    os.symlink(source, place)


def make(planned):
    """Runs the commands of the target tidings."""
    folder = planned.path(f"{planned.products}/tidings.build")
    for file in os.scandir(folder):  # of an earlier run; only the plan's own file stays
        if file.name != "output-file-map.json":
            os.remove(file.path)
    for name in filter(planned.is_of_main, planned.commands):
        command = planned.commands[name]
        if command["tool"] == "write-auxiliary-file":
            write_list(planned, command)
        elif command["tool"] == "shell":
            print(planned.path(command["description"]), flush=True)
            if subprocess.run(without_reports(map(planned.path, command["args"])), check=False).returncode != 0:
                fail(f"{name} failed", "see its message above")
        else:
            fail(f"{name} needs the tool {command['tool']}", WHOLE)
    replace_by_link(os.path.dirname(planned.path(planned.binary)), planned.path(FOLDER + "debug"))  # as a build makes it


def without_reports(arguments):
    """Leaves out what does not change the product: progress that only SwiftPM reads, and the index of editors, which takes most time."""
    arguments = [argument for argument in arguments if argument != "-parseable-output"]
    if "-index-store-path" in arguments:
        start = arguments.index("-index-store-path")
        del arguments[start : start + 2]
    return arguments


def write_list(planned, command):
    """Writes a list of files for the compiler. The first input is only the kind of the list."""
    [output] = command["outputs"]
    os.makedirs(os.path.dirname(planned.path(output)), exist_ok=True)
    with open(planned.path(output), "w", encoding="utf-8") as file:
        file.writelines(shlex.quote(planned.path(path)) + "\n" for path in command["inputs"][1:])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, planned = Plan(sys.argv[1]), Plan(sys.argv[2])
    check_is_built(build)
    print(compare(build, planned))
    provide(build, planned)
    make(planned)


if __name__ == "__main__":
    main()
