/**
 * In place of hysnappy: its WebAssembly is refused by the policy of the page. Where there is none,
 * hyparquet decompresses Snappy by its own JavaScript.
 */
export const snappyUncompressor = (): undefined => undefined;
export const snappyUncompress = (): undefined => undefined;
