import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Installation,
  type InstallationOptions,
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
  assay: Installation;
  visit(options?: VisitorOptions): Promise<Visitor>;
}

/**
 * Tests in a browser, on an installation of their own, which can be set. A machine without a
 * browser skips them; CI must have one.
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
    let assay: Installation;
    beforeAll(async () => {
      assay = await startInstallation(await options?.());
      browser = await chromium.launch({ executablePath: browserPath!, args: flags });
    });
    afterAll(async () => {
      await browser?.close();
      await assay?.stop();
    });
    tests({
      get assay() {
        return assay;
      },
      visit: (options) => startVisitor(browser, assay, options),
    });
  });
}

async function startVisitor(
  browser: Browser,
  assay: Installation,
  {
    theme = 'light',
    width = 1280,
    height = 800,
    key = assay.key,
    origin = assay.url,
  }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    // Of a proxy that a test has put before Assay.
    ignoreHTTPSErrors: true,
  });
  if (key !== null) {
    const signedIn = await context.request.post(`${origin}/v2/session`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(signedIn.status()).toBe(204);
  }
  const page = await context.newPage();
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
  const close = () => context.close();
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
