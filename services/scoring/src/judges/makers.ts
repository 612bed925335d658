import type { ProviderName } from './providers.ts';

/** The names that instrumentations give to the makers of models, in lower case; those of the conventions come first. */
const names: Record<Exclude<ProviderName, 'compatible'>, readonly string[]> = {
  openai: [
    'openai',
    'azure.ai.openai',
    'azure.ai.inference',
    'azure',
    'azure_openai',
    'azure-openai',
    'azureopenai',
  ],
  anthropic: ['anthropic'],
  google: [
    'gcp.gemini',
    'gcp.gen_ai',
    'gcp.vertex_ai',
    'google',
    'gemini',
    'google-gla',
    'google-vertex',
    'google_genai',
    'google_vertexai',
    'googleai',
    'vertex',
    'vertex_ai',
    'vertexai',
  ],
  bedrock: [
    'aws.bedrock',
    'aws',
    'amazon',
    'amazon-bedrock',
    'amazon_bedrock',
    'aws_bedrock',
    'bedrock',
    'bedrock_converse',
  ],
};

const makers = new Map(
  Object.entries(names).flatMap(([maker, all]) =>
    all.map((name) => [name, maker as ProviderName] as const),
  ),
);

/** The maker that a client means, or whose service it asks, by whatever name; undefined for one that has no prices. */
export const makerOf = (name: string): ProviderName | undefined => makers.get(name.toLowerCase());
