import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { sharedInThread } from '@assay/testing/thread';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Installation,
  type InstallationOptions,
  type SharedInstallation,
  shareInstallation,
  startInstallation,
} from '../system/installation.ts';

/** Names under which systems have Chromium. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser of the tests: `CHROMIUM_PATH`, or the first on the PATH. */
const browserPath = process.env.CHROMIUM_PATH ?? programOnPath(names);

function programOnPath(names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a visitor's browser is set. */
export interface VisitorOptions {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Signs in with this key; null leaves the visitor signed out. */
  key?: string | null;
  /** Reaches Assay here in place of its own address: at a proxy before it. */
  origin?: string;
}

/** One person's browser window, and what should not have happened in it. */
export interface Visitor extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /**
   * Errors of the page's script, broken rules of its security policy, dialogs, and requests to
   * another origin. A refused request is named too, as the browser does it.
   */
  complaints: string[];
  /** Opens a path of the console, and waits until its title is there. */
  open(path: string): Promise<void>;
}

/** A whole Assay and a browser before it. */
export interface Stage {
  assay: SharedInstallation;
  visit(options?: VisitorOptions): Promise<Visitor>;
}

const browserOfThread = sharedInThread(
  () => chromium.launch({ executablePath: browserPath!, args: flags }),
  (browser) => browser.close(),
);

/**
 * Tests in a browser, in an organization of their own. The files of a thread share the browser and
 * the installation, unless a file sets one of its own. A machine without a browser skips them; CI
 * must have one.
 */
export function describeInBrowser(
  name: string,
  tests: (stage: Stage) => void,
  { options }: { options?: () => Promise<InstallationOptions> } = {},
): void {
  if (!browserPath && process.env.CI) {
    test(name, () => {
      throw new Error('CI needs Chromium: install it, or name it in CHROMIUM_PATH.');
    });
    return;
  }
  const title = browserPath
    ? name
    : `${name} (skipped: no Chromium on the PATH, and none in CHROMIUM_PATH)`;
  describe.skipIf(!browserPath)(title, () => {
    let browser: Browser;
    let assay: SharedInstallation;
    let own: Installation | undefined;
    beforeAll(async () => {
      own = options && (await startInstallation(await options()));
      assay = own ?? (await shareInstallation());
      browser = await browserOfThread();
    });
    const profiles: Profile[] = [];
    afterAll(async () => {
      for (const { context } of profiles) await context.close();
      await own?.stop();
    });
    tests({
      get assay() {
        return assay;
      },
      visit: (options) => startVisitor({ browser, assay, profiles }, options),
    });
  });
}

/**
 * A browser's cookies, storage and cache for one person at a time. Its `anchor`, a page that shows
 * nothing, keeps the process of its pages alive: to start one with all scripts of the console took
 * half of the processor time of these tests.
 */
interface Profile {
  context: BrowserContext;
  anchor: Page;
}

async function newProfile(browser: Browser, origin: string): Promise<Profile> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    // Of a proxy that a test has put before Assay.
    ignoreHTTPSErrors: true,
  });
  const anchor = await context.newPage();
  await anchor.goto(`${origin}/livez`);
  return { context, anchor };
}

/** Leaves nothing of a visitor but the cache of files. */
async function forgetVisitor({ context, anchor }: Profile, origin: string): Promise<void> {
  for (const page of context.pages()) if (page !== anchor) await page.close();
  await context.unrouteAll();
  await context.clearCookies();
  await context.clearPermissions();
  const session = await context.newCDPSession(anchor);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
}

async function startVisitor(
  {
    browser,
    assay,
    profiles,
  }: { browser: Browser; assay: SharedInstallation; profiles: Profile[] },
  {
    theme = 'light',
    width = 1280,
    height = 800,
    key = assay.key,
    origin = assay.url,
  }: VisitorOptions = {},
): Promise<Visitor> {
  const profile = profiles.pop() ?? (await newProfile(browser, assay.url));
  const { context } = profile;
  if (key !== null) {
    const signedIn = await context.request.post(`${origin}/v2/session`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(signedIn.status()).toBe(204);
  }
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`${error}`));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin: target, protocol } = new URL(request.url());
    if (target !== origin && protocol !== 'data:' && protocol !== 'blob:')
      complaints.push(`a request to ${request.url()}`);
  });
  const close = async () => {
    // Another origin has storage of its own, and tests behind a proxy set clocks.
    if (origin !== assay.url) return context.close();
    await forgetVisitor(profile, origin);
    profiles.push(profile);
  };
  return {
    page,
    context,
    complaints,
    open: async (path) => {
      await page.goto(`${origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    },
    [Symbol.asyncDispose]: close,
  };
}
