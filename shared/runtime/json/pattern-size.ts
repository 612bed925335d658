/** An open group: its size so far, and the size of the part that a repetition would repeat. */
interface Group {
  size: number;
  last: number;
}

/**
 * Atoms, the start of a group, and repetitions in RE2's syntax. A character that none of these
 * patterns matches is an atom of its own.
 */
const classPart = /\[\^?\]?(?:\[:[^\]]*:\]|\\[\s\S]|[^\]\\])*\]/y;
const literalPart = /\\Q([\s\S]*?)(?:\\E|$)/y;
const escapePart = /\\(?:[pPxu]\{[^}]*\}|x[0-9a-fA-F]{2}|[0-7]{2,3}|[\s\S])/y;
const groupPart = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/y;
const flagsPart = /\(\?[a-zA-Z-]*\)/y;
const repetitionPart = /\{(\d+)(?:,(\d*))?\}\??/y;

/**
 * How many characters a regular expression would have with its repetitions written out, `a{1000}`
 * being 1,000: about the instructions that it compiles to. Takes time in proportion to the text,
 * where compiling takes time in proportion to the answer. A pattern that is not well formed has a
 * size, too.
 */
export function writtenOutSize(pattern: string): number {
  const groups: Group[] = [{ size: 0, last: 0 }];
  const add = (size: number) => {
    const group = groups.at(-1)!;
    group.size += size;
    group.last = size;
  };
  for (let at = 0; at < pattern.length; ) {
    const match = (part: RegExp): RegExpExecArray | null => {
      part.lastIndex = at;
      return part.exec(pattern);
    };
    const character = pattern[at]!;
    const literal = character === '\\' ? match(literalPart) : null;
    const repetition = character === '{' ? match(repetitionPart) : null;
    let length = 1;
    if (literal) {
      const [whole, text] = literal;
      length = whole.length;
      add(Math.max(text!.length - 1, 0));
      if (text !== '') add(1);
    } else if (repetition) {
      const [whole, low, high] = repetition;
      length = whole.length;
      const group = groups.at(-1)!;
      const repeated = group.last * (Math.max(Number(low), Number(high ?? 0)) - 1);
      group.size += repeated;
      group.last += repeated;
    } else if (character === '(') {
      const flags = match(flagsPart);
      length = (flags ?? match(groupPart)!)[0].length;
      if (!flags) groups.push({ size: 0, last: 0 });
    } else if (character === ')') {
      const closed = groups.length > 1 ? groups.pop()! : { size: 0 };
      add(closed.size);
    } else if (!'|?*+'.includes(character)) {
      length =
        (character === '[' ? match(classPart) : character === '\\' ? match(escapePart) : null)?.[0]
          .length ?? 1;
      add(1);
    }
    at += length;
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}
