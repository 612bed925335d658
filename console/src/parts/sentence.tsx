/** A sentence of the server: what stands between backticks is code. */
export const Sentence = ({ text }: { text: string }) =>
  text
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: Pieces have no id, and do not move.
    .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
