/** A place after all others in the order in which judges are asked. */
export const endOfOrder = '~';
