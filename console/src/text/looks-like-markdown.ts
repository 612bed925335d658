/**
 * Signs of Markdown that people do not type by chance: code has single stars, hash signs and
 * brackets of its own.
 */
const signs: RegExp[] = [
  // A heading; of the first level only with a blank line below, since `# …` is a comment in code.
  /^ {0,3}#{2,6} \S/m,
  /^ {0,3}# \S.*(?:\n[ \t]*\n|\n?$(?![\s\S]))/m,
  // A fence of code.
  /^ {0,3}(?:```|~~~)/m,
  // Two items of a list.
  /^ {0,3}([-*+]) \S.*\n(?:[ \t]+\S.*\n|[ \t]*\n)?[ \t]*\1 \S/m,
  /^ {0,3}\d{1,3}[.)] \S.*\n(?:[ \t]+\S.*\n|[ \t]*\n)?[ \t]*\d{1,3}[.)] \S/m,
  // The line below the head of a table.
  /^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*\|[-:| \t]*$/m,
  // Bold.
  /(?<![\w*\\])\*\*(?=[^\s*])[^*\n]*[^\s*]\*\*(?![\w*])/,
  // A link or a picture.
  /\[[^[\]\n]{0,300}\]\((?:https?:|mailto:)[^\s)]+\)/i,
];

/** Whether a text is more readable with its Markdown drawn. */
export const looksLikeMarkdown = (text: string): boolean => signs.some((sign) => sign.test(text));
