/** Lists and maps within each other, in the value of an attribute. */
export const valueDepthMax = 32;

/**
 * Attributes in one request, with the elements of lists, whether they have a value or none. It bounds
 * memory: an attribute of two bytes costs fifty here.
 */
export const valuesMax = 4_000_000;

/** Resources, scopes, spans, events and links in one request, empty ones too. */
export const messagesMax = 1_000_000;

/**
 * Values and names in one request of JSON, all of which are built before any is looked at. An empty
 * object of three bytes costs sixty.
 */
export const jsonValuesMax = 5_000_000;
