import { ConfigurationError, misspeltSentences } from './config.ts';
import { checkAddress } from './listening.ts';

/**
 * Runs a process: reads its configuration, starts it, and stops it on SIGINT or SIGTERM, for which
 * it has STOP_TIMEOUT_MS; then the process ends all the same. A configuration that cannot be used is
 * told in its own words; everything that ends the process says why.
 */
export async function run<Config extends { HOST: string; PORT: number; STOP_TIMEOUT_MS: number }>({
  config,
  start,
}: {
  config: () => Config;
  start: (config: Config) => Promise<{ stop(): Promise<void> }>;
}): Promise<void> {
  try {
    const known = tellingMisspelt(config);
    await checkAddress(known);
    const running = start(known);
    const stop = () => {
      setTimeout(() => process.exit(1), known.STOP_TIMEOUT_MS).unref();
      running
        .then((started) => started.stop())
        .then(
          () => process.exit(0),
          (error: Error) => {
            process.stderr.write(`The process did not stop as it should: ${error.message}\n`);
            process.exit(1);
          },
        );
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    await running;
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigurationError ? error.message : `The process could not start: ${(error as Error).message}`}\n`,
    );
    process.exit(1);
  }
}

/** Also where a variable is missing: the misspelt one may be meant. */
function tellingMisspelt<Config>(config: () => Config): Config {
  try {
    return config();
  } finally {
    for (const sentence of misspeltSentences()) process.stderr.write(`${sentence}\n`);
  }
}
