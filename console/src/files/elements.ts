/** Cuts a text, which comes piece by piece, into the texts of its entries. */
export interface EntryReader {
  /** Returns the entries that end in this piece. */
  push: (text: string) => string[];
  /** Returns the last entry, where nothing ended it. */
  end: () => string[];
}

/** Characters of one entry: as many as an import takes. */
const entryCharactersMax = 4 * 1024 * 1024;

/** Returns an entry, or the part of it that has come. */
function checked(entry: string): string {
  if (entry.length > entryCharactersMax)
    throw new Error(
      'An entry has more than 4 MiB. Entries are the lines of the file, or the elements of its array.',
    );
  return entry;
}

/**
 * Each line is an entry.
 * @throws Error for a line of more than 4 MiB.
 */
export function createLineReader(): EntryReader {
  let begun = '';
  return {
    push(text) {
      const lines = text.split('\n');
      lines[0] = `${begun}${lines[0]}`;
      begun = checked(lines.pop()!);
      return lines.map(checked);
    },
    end: () => (begun === '' ? [] : [begun]),
  };
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

/**
 * Each element of a JSON array is an entry. The array alone is read: whether an element is JSON is
 * for the caller to find out. An array that does not end gives its last, broken element.
 * @throws Error for an element of more than 4 MiB.
 */
export function createElementReader(): EntryReader {
  let begun = '';
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let hasElements = false;

  return {
    push(text) {
      const elements: string[] = [];
      let from = 0;
      const take = (to: number) => {
        const element = `${begun}${text.slice(from, to)}`.trim();
        begun = '';
        from = to + 1;
        // Between the brackets of an empty array stands nothing.
        if (element === '' && depth === 0 && !hasElements) return;
        hasElements = true;
        elements.push(checked(element));
      };
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (code === backslash) isEscaped = true;
          else if (code === quote) isInString = false;
        } else if (code === quote) isInString = true;
        else if (isOpening(code)) {
          depth += 1;
          if (depth === 1) from = at + 1;
        } else if (isClosing(code)) {
          depth -= 1;
          if (depth === 0) take(at);
        } else if (code === comma && depth === 1) take(at);
      }
      if (depth > 0) begun = checked(`${begun}${text.slice(from)}`);
      return elements;
    },
    end: () => (depth > 0 ? [begun.trim()] : []),
  };
}
