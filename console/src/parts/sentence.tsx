/** A sentence of the server, with its backticks as code. */
export const Sentence = ({ text }: { text: string }) =>
  text
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: Pieces have no id, and do not move.
    .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
