/** Lists and maps within each other, in the value of an attribute. */
export const valueDepthMax = 32;

/**
 * Values in one request, counted with all that lists and maps have within them. It bounds memory: a
 * value of two bytes costs fifty here.
 */
export const valuesMax = 4_000_000;

/** Spans, events and links in one request. */
export const messagesMax = 1_000_000;
