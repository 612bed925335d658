import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { JudgeConfig } from '../config.ts';

export const providerNames = ['openai', 'anthropic', 'google', 'bedrock', 'compatible'] as const;
export type ProviderName = (typeof providerNames)[number];

type SecretName = Extract<keyof JudgeConfig, `${string}_${'KEY' | 'KEY_ID' | 'TOKEN'}`>;

interface Provider {
  /** Without one of these it is not configured. */
  needs: (keyof JudgeConfig)[];
  /** The settings that no error, log or reply may show. */
  secrets: SecretName[];
  baseUrl: (config: JudgeConfig) => string | undefined;
  temperatureMax: number;
  /** Loads the provider's library, so that a process that never asks does not pay for it. */
  load: (parts: {
    config: JudgeConfig;
    fetch: typeof fetch;
  }) => Promise<(model: string) => LanguageModelV3>;
}

// Each library takes missing settings from the environment, so it is given all of them.
export const providers: Record<ProviderName, Provider> = {
  openai: {
    needs: ['OPENAI_API_KEY'],
    secrets: ['OPENAI_API_KEY'],
    baseUrl: (config) => config.OPENAI_BASE_URL,
    temperatureMax: 2,
    load: async ({ config, fetch }) => {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Chat completions rather than responses: they take a seed, and other servers at
      // OPENAI_BASE_URL know them.
      return createOpenAI({
        apiKey: config.OPENAI_API_KEY!,
        baseURL: config.OPENAI_BASE_URL,
        fetch,
      }).chat;
    },
  },
  anthropic: {
    needs: ['ANTHROPIC_API_KEY'],
    secrets: ['ANTHROPIC_API_KEY'],
    baseUrl: (config) => config.ANTHROPIC_BASE_URL,
    temperatureMax: 1,
    load: async ({ config, fetch }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({
        apiKey: config.ANTHROPIC_API_KEY!,
        baseURL: config.ANTHROPIC_BASE_URL,
        fetch,
      });
    },
  },
  google: {
    needs: ['GOOGLE_API_KEY'],
    secrets: ['GOOGLE_API_KEY'],
    baseUrl: (config) => config.GOOGLE_BASE_URL,
    temperatureMax: 2,
    load: async ({ config, fetch }) => {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({
        apiKey: config.GOOGLE_API_KEY!,
        baseURL: config.GOOGLE_BASE_URL,
        fetch,
      });
    },
  },
  bedrock: {
    needs: ['BEDROCK_REGION', 'BEDROCK_ACCESS_KEY_ID', 'BEDROCK_SECRET_ACCESS_KEY'],
    secrets: ['BEDROCK_ACCESS_KEY_ID', 'BEDROCK_SECRET_ACCESS_KEY', 'BEDROCK_SESSION_TOKEN'],
    baseUrl: bedrockUrl,
    temperatureMax: 1,
    load: async ({ config, fetch }) => {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      return createAmazonBedrock({
        apiKey: '',
        region: config.BEDROCK_REGION!,
        accessKeyId: config.BEDROCK_ACCESS_KEY_ID!,
        secretAccessKey: config.BEDROCK_SECRET_ACCESS_KEY!,
        ...(config.BEDROCK_SESSION_TOKEN && { sessionToken: config.BEDROCK_SESSION_TOKEN }),
        baseURL: bedrockUrl(config)!,
        fetch,
      });
    },
  },
  compatible: {
    needs: ['COMPATIBLE_BASE_URL'],
    secrets: ['COMPATIBLE_API_KEY'],
    baseUrl: (config) => config.COMPATIBLE_BASE_URL,
    temperatureMax: 2,
    load: async ({ config, fetch }) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'compatible',
        ...(config.COMPATIBLE_API_KEY && { apiKey: config.COMPATIBLE_API_KEY }),
        baseURL: config.COMPATIBLE_BASE_URL!,
        supportsStructuredOutputs: true,
        fetch,
      });
    },
  },
};

function bedrockUrl(config: JudgeConfig): string | undefined {
  return (
    config.BEDROCK_BASE_URL ??
    (config.BEDROCK_REGION && `https://bedrock-runtime.${config.BEDROCK_REGION}.amazonaws.com`)
  );
}

/**
 * The provider that a model's name begins with, and its own name for the model; a name without a
 * slash is OpenAI's.
 */
export function providerOf(name: string): { provider: ProviderName; model: string } | undefined {
  const slash = name.indexOf('/');
  if (slash < 0) return { provider: 'openai', model: name };
  const provider = providerNames.find((known) => known === name.slice(0, slash));
  const model = name.slice(slash + 1);
  return provider && model !== '' ? { provider, model } : undefined;
}

/** Whether JUDGE_MODELS names the model, or all of its provider. */
export function isAllowed(
  { provider, model }: { provider: ProviderName; model: string },
  { JUDGE_MODELS: names }: JudgeConfig,
): boolean {
  const entries = names?.split(/ *, */) ?? [`${provider}/*`];
  return entries.some((entry) => {
    const named = providerOf(entry);
    return named?.provider === provider && (named.model === '*' || named.model === model);
  });
}

export const missingOf = (provider: ProviderName, config: JudgeConfig): string[] =>
  providers[provider].needs.filter((name) => config[name] === undefined);

export const secretsOf = (config: JudgeConfig): string[] => [
  ...Object.values(providers).flatMap(({ secrets }) =>
    secrets.flatMap((name) => config[name] ?? []),
  ),
  ...[config.HTTP_PROXY, config.HTTPS_PROXY].flatMap((proxy) =>
    proxy === undefined ? [] : [decodeURIComponent(new URL(proxy).password)],
  ),
];

export const baseUrlOf = (provider: ProviderName, config: JudgeConfig): string | undefined =>
  providers[provider].baseUrl(config);

export const baseUrlsOf = (config: JudgeConfig): string[] =>
  Object.values(providers).flatMap(({ baseUrl }) => baseUrl(config) ?? []);

/** The hosts that are named, or else those of the providers' base URLs. */
export const hostsOf = (config: JudgeConfig): Set<string> =>
  new Set(
    config.JUDGE_ALLOWED_HOSTS
      ? listOf(config.JUDGE_ALLOWED_HOSTS)
      : baseUrlsOf(config).map((url) => new URL(url).host),
  );

/** The names that may lead to private addresses. */
export const privateHostsOf = (config: JudgeConfig): Set<string> =>
  new Set(listOf(config.JUDGE_PRIVATE_HOSTS ?? ''));

const listOf = (names: string): string[] => names.toLowerCase().split(/ *, */);
