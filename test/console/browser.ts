import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { sharedInProcess } from '@assay/testing/sharing';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Installation,
  type InstallationOptions,
  type SharedInstallation,
  shareInstallation,
  startInstallation,
} from '../system/installation.ts';
import { quietEvents, watchQuiet } from './quiet.ts';

/**
 * Names under which systems have Chromium. The shell without a window comes first: it draws no
 * frame, which is a third of the processor time of a page.
 */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'chrome',
];

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
  /**
   * Waits until the page has its data: but for a stream of events it has asked for nothing for half
   * a second, or for the given time.
   */
  quiet(quietMs?: number): Promise<void>;
}

/** A whole Assay and a browser before it. */
export interface Stage {
  assay: SharedInstallation;
  visit(options?: VisitorOptions): Promise<Visitor>;
}

/**
 * Opens the page of a run. Its results may come later than its rows, and move these down: before
 * that a click may meet another element than its own.
 */
export async function openRun({ open, page }: Visitor, path: string): Promise<void> {
  await open(path);
  await page.getByRole('region', { name: 'Results' }).waitFor();
}

const browserOfProcess = sharedInProcess(
  async () => ({
    browser: await chromium.launch({ executablePath: browserPath!, args: flags }),
    /** Of visitors of the shared installation, between two of them. */
    profiles: [] as Profile[],
  }),
  ({ browser }) => inTime('the browser ends', browser.close()),
);

/**
 * Tests in a browser, in an organization of their own. The files of a process share the browser and
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
    let profiles: Profile[];
    beforeAll(async () => {
      own = options && (await startInstallation(await options()));
      assay = own ?? (await shareInstallation());
      const shared = await browserOfProcess();
      browser = shared.browser;
      profiles = own ? [] : shared.profiles;
    });
    afterAll(async () => {
      if (own) for (const { context } of profiles) await context.close();
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
 * A browser's cookies, storage, cache and window for one person at a time. The window stays open
 * between them, since its first load of all scripts takes four times as long as the next.
 */
interface Profile {
  context: BrowserContext;
  page: Page;
}

/** A busy machine is no failure. */
const timeoutMs = 120_000;

async function newProfile(browser: Browser): Promise<Profile> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    // Of a proxy that a test has put before Assay.
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(timeoutMs);
  return { context, page: await context.newPage() };
}

/** What visitors and tests listen to. */
const events = ['console', 'pageerror', 'dialog', 'response', ...quietEvents] as const;

/** Has the console's policy for openers: a page of another policy would begin another process. */
const emptyPage = {
  contentType: 'text/html',
  headers: { 'cross-origin-opener-policy': 'same-origin' },
  body: '<!doctype html><title>Empty</title>',
};

/** Leaves nothing of a visitor but the cache of files and an empty window. */
async function forgetVisitor({ context, page }: Profile, origin: string): Promise<void> {
  for (const event of events) page.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('sessionStorage.clear()');
  // A page with a draft asks whether to leave it.
  page.once('dialog', (dialog) => void dialog.accept());
  await openEmpty(page, origin);
  page.removeAllListeners('dialog');
  await context.clearCookies();
  await context.clearPermissions();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
}

/** A window that a visitor has left is there already. */
async function openEmpty(page: Page, origin: string): Promise<void> {
  if (page.url() === `${origin}/empty`) return;
  await page.route(`${origin}/empty`, (route) => route.fulfill(emptyPage));
  await page.goto(`${origin}/empty`);
  await page.unrouteAll();
}

/** Signs in as the console does: with the second secret where its pages find it. */
async function signIn({ context, page }: Profile, origin: string, key: string): Promise<void> {
  const signedIn = await context.request.post(`${origin}/v2/session`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(signedIn.status()).toBe(204);
  await openEmpty(page, origin);
  const path = new URL(origin).pathname.replace(/\/$/, '');
  const stored = [`assay console ${path}`, signedIn.headers()['x-assay-console']];
  await page.evaluate(`localStorage.setItem(...${JSON.stringify(stored)})`);
}

/**
 * Closes a page that asks for a file of the console that is not there, as after a build beside the
 * tests: the gateway read its page at its start. Whatever waits for the page ends with the reason,
 * in place of two minutes for each test without a word.
 */
function endAtMissingFiles(page: Page, origin: string): void {
  page.on('response', (response) => {
    const url = response.url();
    if (response.ok() || !url.startsWith(`${origin}/assets/`)) return;
    const reason = `${url} was a ${response.status()}: was the console built while its tests ran?`;
    void page.close({ reason });
  });
}

/** Waits for what Playwright itself gives no time. @throws an error that names it. */
async function inTime<Answer>(what: string, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
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
  const profile = profiles.pop() ?? (await newProfile(browser));
  const { context, page } = profile;
  if (key !== null) await signIn(profile, origin, key);
  await page.emulateMedia({ media: null, colorScheme: theme });
  await page.setViewportSize({ width, height });
  endAtMissingFiles(page, origin);
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
    if (origin !== assay.url || page.isClosed()) return context.close();
    await inTime('the window is emptied for the next visitor', forgetVisitor(profile, origin));
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
    quiet: watchQuiet(page),
    [Symbol.asyncDispose]: close,
  };
}

/**
 * The texts of what a locator finds, once there is something. Playwright's own `allTextContents`
 * waits for nothing: on a page that is still drawn it answers with an empty list.
 */
export async function textsOf(found: Locator): Promise<string[]> {
  await found.first().waitFor();
  return found.allTextContents();
}
