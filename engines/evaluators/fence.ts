/** The first line of a code fence, as CommonMark has it: its sign, and maybe a language. */
const opening = /^ {0,3}(`{3,}|~{3,})[^`]*$/;

/** The texts in the code fences of a text, in their order. A fence that is not closed goes to the end. */
export function fencedTexts(text: string): string[] {
  const texts: string[] = [];
  let fence: { sign: string; lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (!fence) {
      const sign = opening.exec(line)?.[1];
      if (sign !== undefined) fence = { sign, lines: [] };
    } else if (closes(line, fence.sign)) {
      texts.push(fence.lines.join('\n'));
      fence = undefined;
    } else fence.lines.push(line);
  }
  return fence ? [...texts, fence.lines.join('\n')] : texts;
}

/** A fence is closed by its sign, at least as often. */
function closes(line: string, sign: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= sign.length && trimmed === sign[0]!.repeat(trimmed.length);
}
