import type { APICallError } from '@ai-sdk/provider';
import { isRefusal } from './refusal.ts';

/**
 * The parameters that a model may not support; it is then called without them. `system` is the role
 * of the instructions.
 */
export type Parameter = 'temperature' | 'seed' | 'schema' | 'system';

/** Why a call brought no answer. */
export type Fault =
  | { kind: 'limited'; message: string; retryAfterMs: number | undefined }
  /** The provider is not well: 5xx, no connection, an answer that is none of its own. */
  | {
      kind: 'failed';
      message: string;
      /** The fault without words of the provider, which may repeat a prompt of anybody. */
      summary: string;
      retryAfterMs: number | undefined;
    }
  | { kind: 'timeout'; message: string }
  | { kind: 'unsupported'; message: string; parameter: Parameter }
  /** Trying again would not help. */
  | { kind: 'final'; code: 'provider_error' | 'rate_limited'; message: string };

const retryAfterMaxMs = 60_000;
const messageCharactersMax = 300;
/** Keys that are shorter are no secrets, and would be found in any text. */
const secretCharactersMin = 8;

/** How providers name a parameter when they refuse it. */
const parameterNames: Record<Parameter, RegExp> = {
  temperature: /temperature/i,
  seed: /\bseed\b/i,
  schema:
    /response_?(format|schema|mime)|json_?schema|output_(config|format)|structured.?output|tool.?(choice|config|use)/i,
  system:
    /\bsystem\b.{0,30}\b(role|messages?|prompts?|instructions?)\b|\broles?\b.{0,60}\bsystem\b|developer instruction|roles must alternate/i,
};

/**
 * Turns the error that a call threw into the reason why it brought no answer. The message contains
 * no secret.
 */
export function createReadFault(secrets: string[]) {
  const hidden = secrets.filter((secret) => secret.length >= secretCharactersMin).flatMap(formsOf);
  const clean = (text: string) =>
    hidden
      .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[removed]'), text)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, messageCharactersMax);

  return (error: unknown, { provider, sent }: { provider: string; sent: Parameter[] }): Fault => {
    if (isRefusal(error))
      return { kind: 'final', code: 'provider_error', message: clean(error.message) };
    const said = error instanceof Error ? error.message : String(error);
    const {
      statusCode: status,
      responseBody = '',
      responseHeaders = {},
    } = isCallError(error) ? error : ({} as Partial<APICallError>);
    const inside = status === 200 ? errorIn(responseBody) : undefined;
    if (inside)
      return faultInside(inside, {
        message: clean(`${provider} answered 200 with an error: ${inside.message}`),
        summary: `${provider} answered 200 with an error.`,
      });
    if (status === undefined || status < 300)
      return {
        kind: 'failed',
        message: clean(`${provider}: ${said}`),
        summary:
          status === undefined
            ? `${provider} cannot be reached.`
            : `${provider} answered ${status}, and nothing that a model says.`,
        retryAfterMs: undefined,
      };
    const words = errorIn(responseBody)?.message ?? said;
    const message = clean(`${provider} answered ${status}: ${words}`);
    const retryAfterMs = retryAfterOf(responseHeaders, responseBody);
    // A quota that is used up is no matter of waiting.
    if (status === 429 && responseBody.includes('insufficient_quota'))
      return { kind: 'final', code: 'rate_limited', message };
    if (status === 429) return { kind: 'limited', message, retryAfterMs };
    if (status >= 500 || status === 408)
      return { kind: 'failed', message, summary: `${provider} answered ${status}.`, retryAfterMs };
    const parameter = [400, 422].includes(status)
      ? sent.find((name) => parameterNames[name].test(`${said} ${responseBody}`))
      : undefined;
    return parameter
      ? { kind: 'unsupported', message, parameter }
      : { kind: 'final', code: 'provider_error', message };
  };
}

interface ErrorInside {
  message: string;
  code: number | undefined;
}

/** The error of a body `{"error": …}`, which gateways answer with a 200, too; undefined where it is none. */
function errorIn(body: string): ErrorInside | undefined {
  try {
    const { error } = JSON.parse(body);
    if (error === undefined || error === null || error === false) return undefined;
    const { message = error, code, status = code } = error;
    return {
      message: typeof message === 'string' ? message : JSON.stringify(message),
      code: Number.isInteger(Number(status)) ? Number(status) : undefined,
    };
  } catch {
    return undefined;
  }
}

function faultInside(
  { code = 500 }: ErrorInside,
  { message, summary }: { message: string; summary: string },
): Fault {
  if (code === 429) return { kind: 'limited', message, retryAfterMs: undefined };
  return code >= 400 && code < 500 && code !== 408
    ? { kind: 'final', code: 'provider_error', message }
    : { kind: 'failed', message, summary, retryAfterMs: undefined };
}

/**
 * A secret as it is, in a URL, and in base64, whatever stands before it: of the characters that
 * follow from the secret alone, in each of the three places in which it can begin. The longest come
 * first, so that none leaves a part of another.
 */
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = (text: string) =>
      text.slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
    return [whole(bytes.toString('base64')), whole(bytes.toString('base64url'))];
  });
  return [...new Set([secret, encodeURIComponent(secret), ...encoded])].sort(
    (a, b) => b.length - a.length,
  );
}

/** By its name: the library that defines it is not loaded for this. */
const isCallError = (error: unknown): error is APICallError =>
  error instanceof Error && error.name === 'AI_APICallError';

/**
 * How long a provider asks to be left alone: RFC 9110 section 10.2.3, OpenAI's header in
 * milliseconds, Google's RetryInfo in the body.
 */
function retryAfterOf(headers: Record<string, string>, body: string): number | undefined {
  const retryAfter = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(retryAfter)
    ? retryAfter
    : /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  const candidates = [
    Number.parseFloat(headers['retry-after-ms'] ?? ''),
    Number.parseFloat(seconds ?? '') * 1000,
    Date.parse(retryAfter) - Date.now(),
  ];
  const waitMs = candidates.find((candidate) => candidate > 0);
  return waitMs && Math.min(waitMs, retryAfterMaxMs);
}
