import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** The compressed bytes of a page's files, by their kind. */
export interface AssetSizes {
  js: number;
  css: number;
  woff2: number;
}

/** The compressed bytes of each of the console's files. */
const compressed = new Map<string, Promise<number>>();

/** Returns the compressed bytes of the console's files that were taken since it was asked last. */
export function watchAssets(page: Page): () => Promise<AssetSizes> {
  let taken = new Set<string>();
  page.on('response', (response) => {
    if (/\/assets\/.*\.(js|css|woff2)$/.test(response.url())) taken.add(response.url());
  });
  return async () => {
    const urls = [...taken];
    taken = new Set();
    const sum = (kind: string) => sizeOf(urls.filter((url) => url.endsWith(kind)));
    return { js: await sum('.js'), css: await sum('.css'), woff2: await sum('.woff2') };
  };
}

/** The compressed bytes of files of the console. */
export async function sizeOf(urls: string[]): Promise<number> {
  for (const url of urls) if (!compressed.has(url)) compressed.set(url, compressedSize(url));
  const sizes = await Promise.all(urls.map((url) => compressed.get(url)!));
  return sizes.reduce((all, bytes) => all + bytes, 0);
}

/** Asked anew: the browser keeps no body of a page that it has left. */
async function compressedSize(url: string): Promise<number> {
  const body = await (await fetch(url)).arrayBuffer();
  return gzipSync(new Uint8Array(body), { level: 9 }).length;
}
