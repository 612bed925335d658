/** JSON Pointers (RFC 6901). */

/** The pointer of a member of the value that another pointer leads to. */
export const pointerTo = (above: string, token: string): string =>
  `${above}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The names and indexes of a pointer. */
export const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The first name or index of a pointer below another; undefined where it leads elsewhere. */
export const tokenBelow = (above: string, pointer: string): string | undefined =>
  pointer.startsWith(`${above}/`) ? tokensOf(pointer.slice(above.length))[0] : undefined;
