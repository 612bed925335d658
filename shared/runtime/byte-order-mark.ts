const mark = Buffer.from('\uFEFF');

/** Bytes of a byte order mark in UTF-8. */
export const byteOrderMarkBytes = mark.length;

/** Whether UTF-8 begins with a byte order mark, as some programs write it before JSON (RFC 8259, 8.1). */
export const hasByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === mark[0] && bytes[1] === mark[1] && bytes[2] === mark[2];
