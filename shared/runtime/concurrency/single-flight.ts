/**
 * Runs one call for all that ask for the same key meanwhile. Whoever comes while a call is under
 * way shares the next one, which starts after it, so that no answer is older than the request for
 * it. `createBatchLoader` makes one call of different keys.
 */
export function createSingleFlight<Answer>() {
  const underWay = new Map<string, { answer: Promise<Answer>; next?: Promise<Answer> }>();

  function start(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked: { answer: Promise<Answer>; next?: Promise<Answer> } = { answer: ask() };
    underWay.set(key, asked);
    const forget = () => {
      if (!asked.next) underWay.delete(key);
    };
    asked.answer.then(forget, forget);
    return asked.answer;
  }

  return function singleFlight(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = underWay.get(key);
    if (!asked) return start(key, ask);
    const askNext = () => start(key, ask);
    asked.next ??= asked.answer.then(askNext, askNext);
    return asked.next;
  };
}
