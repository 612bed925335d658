/** Starts one of the console's own scripts beside the page. */
export const startWorker = (url: string): Worker => new Worker(scriptUrl(url), { type: 'module' });

/** The URL of one of the console's own scripts, as a page under Trusted Types must give it. */
const scriptUrl = (url: string): string => workerPolicy?.createScriptURL(url) ?? url;

/** The one policy that the gateway lets the page make; browsers without Trusted Types need none. */
const workerPolicy = (globalThis as WithTrustedTypes).trustedTypes?.createPolicy('assay-worker', {
  createScriptURL: (url) => url,
});

interface WithTrustedTypes {
  trustedTypes?: {
    createPolicy: (
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ) => { createScriptURL: (url: string) => string };
  };
}
