import { poll } from '@assay/testing/poll';
import type { Page, Request } from 'playwright-core';

/** As Playwright's `networkidle`. */
const networkIdleMs = 500;

/** The events of a page that `watchQuiet` listens to. */
export const quietEvents = ['request', 'requestfinished', 'requestfailed'] as const;

/** A stream of events has no end, and is no question that waits for its answer. */
const isEndless = (request: Request): boolean =>
  new URL(request.url()).pathname.endsWith('/events');

/** Returns how to wait until a page has asked for nothing for a time, half a second unless another is given. */
export function watchQuiet(page: Page): (quietMs?: number) => Promise<void> {
  const underWay = new Set<Request>();
  let changedAt = performance.now();
  let latest = '';
  page.on('request', (request) => {
    if (isEndless(request)) return;
    underWay.add(request);
    changedAt = performance.now();
    latest = request.url();
  });
  const ended = (request: Request) => {
    if (underWay.delete(request)) changedAt = performance.now();
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return async (quietMs = networkIdleMs) => {
    const isQuiet = () => underWay.size === 0 && performance.now() - changedAt > quietMs;
    await poll('the page is quiet', isQuiet).catch((error: Error) => {
      const waited = [...underWay].map((request) => request.url());
      throw new Error(
        `${error.message}: ${page.url()} waits for [${waited.join(', ')}], and asked for ${latest} last`,
      );
    });
  };
}
