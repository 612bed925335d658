/**
 * The program of a Python process that evaluates one record and ends. The answer's file descriptor
 * is moved away from 1, so that printing goes to /dev/null; code that looks for it can but answer
 * for its own record, whose process it has to itself.
 */
export const pythonProgram = String.raw`
import json, math, os, resource, sys

NAME = "metric.py"
# Made ahead, since there may be no place for it when it is needed.
OUT_OF_MEMORY = b'{"ok": false, "memory": true, "message": "MemoryError"}\n'

def main():
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    header = sys.stdin.buffer.readline()
    if not header:
        os._exit(0)
    request = json.loads(header)
    parts = [sys.stdin.buffer.read(length) for length in request["partBytes"]]
    answering = os.dup(1)
    os.dup2(2, 0)
    os.dup2(2, 1)
    limit(request)
    try:
        answer = json.dumps(answer_to(request, parts)).encode() + b"\n"
    except MemoryError:
        answer = OUT_OF_MEMORY
    while answer:
        answer = answer[os.write(answering, answer):]
    os._exit(0)

def limit(request):
    seconds = math.ceil(request["timeoutMs"] / 1000) + 1
    os.environ.clear()
    for kind, most in (
        (resource.RLIMIT_DATA, request["memoryBytesMax"]),
        # For memory that counts as shared; libraries stand here too.
        (resource.RLIMIT_AS, request["memoryBytesMax"] + 64 * 1024 * 1024),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NPROC, 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 16),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))

def answer_to(request, parts):
    try:
        scope = {"__name__": "metric"}
        exec(compile(request["source"], NAME, "exec", dont_inherit=True), scope)
        evaluate, score = scope.get("evaluate"), scope.get("score")
        if not callable(evaluate) and not callable(score):
            return refuse("the code defines no function evaluate")
        if not parts:
            return {"ok": True}
        record = {}
        for name in ("inputs", "expected", "outputs"):
            record[name] = json.loads(parts.pop(0))
        # The second form is the one that others take.
        result = evaluate(record) if callable(evaluate) else score(record["inputs"], record["outputs"], record["expected"])
        return accept(result, request["answerCharactersMax"])
    except MemoryError:
        raise
    except BaseException as error:
        return describe(error)

def accept(result, characters_max):
    value, reasoning = result, None
    names = ("value", "score", "binaryScore", "intScore", "floatScore")
    name = next((name for name in names if isinstance(result, dict) and name in result), None)
    if name is not None:
        value, reasoning = result[name], result.get("reasoning")
    elif result is None:
        return refuse("evaluate returned nothing: return the value, or { value, reasoning }")
    if hasattr(value, "__await__"):
        return refuse("evaluate must not be async: it cannot wait for anything")
    if isinstance(value, float) and not math.isfinite(value):
        return refuse(f"evaluate returned {value}, which is not a JSON number")
    if reasoning is not None and not isinstance(reasoning, str):
        return refuse("reasoning must be a text")
    answer = {"ok": True, "value": value}
    if reasoning is not None:
        answer["reasoning"] = reasoning
    try:
        characters = len(json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    except (TypeError, ValueError) as error:
        return refuse(f"evaluate returned what JSON cannot hold: {error}")
    if characters > characters_max:
        return refuse(f"the value and its reasoning have {characters} characters as JSON, and may have {characters_max}")
    return answer

def describe(error):
    answer = refuse("the code raised what cannot be described")
    try:
        # A fault of the syntax has the name and the place in its text and beside it.
        text = error.msg if is_own_syntax(error) else str(error)
        answer = refuse(f"{type(error).__name__}: {text}" if text else type(error).__name__)
        answer.update(place_of(error))
    except BaseException:
        pass
    return answer

def is_own_syntax(error):
    return isinstance(error, SyntaxError) and error.filename == NAME

def place_of(error):
    if is_own_syntax(error):
        return {"line": error.lineno, "column": error.offset}
    place, traceback = {}, error.__traceback__
    while traceback:
        if traceback.tb_frame.f_code.co_filename == NAME:
            place = {"line": traceback.tb_lineno}
        traceback = traceback.tb_next
    return place

def refuse(message):
    return {"ok": False, "message": message[:2000]}

main()
`;
