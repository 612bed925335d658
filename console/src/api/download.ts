import { publicPath } from './public-path.ts';
import { request, urlOf } from './request.ts';

/**
 * Downloads the object of an operation. A browser follows a link without the second secret of the
 * session, so that the session signs an address for it first.
 * @throws ApiError
 */
export async function downloadFrom(url: string): Promise<void> {
  const path = url.slice(`${publicPath}/v2`.length);
  const signed = await request('POST', '/session/downloads', { body: { path } });
  download(urlOf(signed.path));
}

/** The service says that the bytes are to be saved, so the page stays. */
export function download(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noopener noreferrer';
  link.click();
}
