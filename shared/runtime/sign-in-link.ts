/**
 * Returns the link that opens the console and signs in by a one-time token, which stands in the
 * fragment: no log of a server or proxy sees it. `apiUrl` is the base path of the API, which the
 * console stands beside; where it is empty, the link is a path below the console's address.
 */
export const signInLink = (apiUrl: string, token: string): string =>
  `${apiUrl.replace(/(\/api)?\/v2$/, '')}/login#once=${token}`;
