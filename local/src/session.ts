import { type LocalConfig, readLocalConfig } from './environment.ts';
import { type Assay, launch } from './launch.ts';
import { unknownVariables } from './unknown-variables.ts';

/** What the servers have to end in, beside the time that the services have. */
const serversMs = 500;

/**
 * Launches Assay for as long as `work` takes and, where that says so, until a signal: every program
 * that a person starts runs in here. Whatever ends it, all is stopped first, in whatever phase that
 * begins, within little more than STOP_TIMEOUT_MS; a failure is told in one sentence. `adapt` adds to the person's settings.
 */
export async function runSession(
  work: (assay: Assay) => Promise<'stay' | 'leave'>,
  adapt: (config: LocalConfig) => Promise<LocalConfig> = async (config) => config,
): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  let ending: Promise<never> | undefined;
  let launching: Promise<Assay> | undefined;
  let stopMs = serversMs;

  const end = (exitCode: number): Promise<never> => {
    ending ??= (async () => {
      setTimeout(() => process.exit(exitCode || 1), stopMs).unref();
      await launching?.then(
        (assay) => assay.stop(),
        () => undefined,
      );
      process.exit(exitCode);
    })();
    return ending;
  };
  const stopNow = () => {
    // npm passes a signal on that the terminal has sent already.
    if (!ending) say('Stopping …');
    void end(0);
  };
  process.on('SIGINT', stopNow);
  process.on('SIGTERM', stopNow);

  const fail = (error: unknown): Promise<never> => {
    if (!ending) say(error instanceof Error ? error.message : String(error));
    return end(1);
  };
  try {
    const config = readLocalConfig();
    stopMs = config.STOP_TIMEOUT_MS + serversMs;
    for (const sentence of await unknownVariables()) say(sentence);
    launching = adapt(config).then((config) =>
      launch({ config, say, onFatal: (sentence) => void fail(new Error(sentence)) }),
    );
    const assay = await launching;
    if (ending) return;
    if ((await work(assay)) === 'leave') await end(0);
  } catch (error) {
    await fail(error);
  }
}
