/** Where Assay is, when nobody says otherwise. */
export const defaultUrl = 'http://127.0.0.1:4400';

/**
 * The base path of the API, with the version. Takes the address with or without a final slash or the
 * version, as people copy it.
 * @throws an error whose message says how an address has to be.
 */
export function baseUrl(text: string): string {
  const isHttp = /^https?:/i.test(text) && URL.canParse(text);
  if (!isHttp) throw new Error('the URL must be an address that begins with http:// or https://.');
  const { origin, pathname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash)
    throw new Error('the URL must have no user, query or fragment.');
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}/v2`;
}

/**
 * Checks that the key can be sent in a header. The errors do not repeat the key itself.
 * @throws an error whose message says how a key has to be.
 */
export function apiKey(text: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error('the API key is empty, or has characters that no key has.');
  return key;
}
