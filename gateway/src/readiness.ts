import { identity } from '@assay/contracts/identity';
import type { Bus } from '@assay/runtime/bus';
import { serviceIdentity } from '@assay/runtime/signature';

/**
 * Can this gateway serve: is the bus there, and does somebody check keys? Undefined when all is well, else what is missing.
 * Asked by anyone without a key, so those who ask at once share one question.
 */
export function createReadiness(bus: Bus): () => Promise<string | undefined> {
  const ask = bus.asks(identity).identity;
  let underWay: Promise<string | undefined> | undefined;

  const askIdentity = () =>
    ask.verifyKey(serviceIdentity(''), { keyHash: '' }).then(
      () => undefined,
      () => 'API keys cannot be checked at the moment.',
    );

  return async () => {
    if (!bus.isConnected()) return 'The bus is not connected.';
    underWay ??= askIdentity().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
