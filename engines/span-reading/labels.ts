import { isObject } from '@assay/json/value';
import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import type { Attributes } from '@assay/otlp/span';
import { jsonAt, jsonText, parsed, textAt, toJson } from './attributes.ts';

const tagsMax = 50;
const metadataMax = 20;
const charactersMax = 512;

/** Facts of a span about the whole that it is part of. */
export interface Labels {
  projectId: string | null;
  serviceName: string | null;
  tags: string[];
  /** Up to 20 pairs. */
  metadata: Record<string, string>;
  /** By which a record finds its trace. */
  linkIds: string[];
  /** Of traces that are one run. */
  groupId: string | null;
}

/** Attributes of ours, and of Scorecard, whose clients are served too. */
const prefixes = ['assay.', 'scorecard.'];
/** Those that have a meaning of their own; any other is metadata. */
const meant = new Set(['project_id', 'otel_link_id', 'tracing_group_id', 'session_id', 'tags']);
const tagPrefix = 'tag.';

/** Lists of tags by others. */
const tagLists = new Set(['tag.tags', 'langfuse.trace.tags', 'ai.telemetry.metadata.tags']);

/** Metadata of LangChain and LangGraph themselves, in which a user's own would be lost. */
const isOfFramework = (name: string): boolean =>
  /^(?:ls_|lc_|langgraph_|__pregel_)/.test(name) || name === 'checkpoint_ns';

const both = (name: string): string[] => prefixes.map((prefix) => prefix + name);

/** Metadata below these prefixes is a pair for each attribute. */
const metadataPrefixes = [
  'ai.telemetry.metadata.',
  'traceloop.association.properties.',
  'langfuse.trace.metadata.',
  'langfuse.observation.metadata.',
];

/** Reads the labels of a span: its own before those of its resource. */
export function labelsOf({ span, resource }: SpanInTrace): Labels {
  const places = [span.attributes, resource.attributes];
  const first = (keys: string[]): string | null => {
    for (const attributes of places) {
      const found = textAt(attributes, keys);
      if (found) return bounded(found.value);
    }
    return null;
  };
  const linkIds = places.flatMap((attributes) =>
    both('otel_link_id').flatMap((key) => textAt(attributes, [key])?.value ?? []),
  );
  return {
    projectId: first(both('project_id')),
    serviceName: first(['service.name']),
    groupId: first(both('tracing_group_id')),
    linkIds: [...new Set(linkIds.map(bounded))],
    tags: [...new Set(places.flatMap(tagsIn))].slice(0, tagsMax),
    metadata: Object.fromEntries(places.toReversed().flatMap(metadataIn).slice(-metadataMax)),
  };
}

function tagsIn(attributes: Attributes): string[] {
  const tags: string[] = [];
  for (const [key, value] of attributes) {
    const name = ownName(key);
    if (name === 'tags' || tagLists.has(key)) tags.push(...listed(parsed(value)));
    else if (name?.startsWith(tagPrefix) && (value === true || value === 'true'))
      tags.push(name.slice(tagPrefix.length));
  }
  return tags.map((tag) => bounded(tag.trim())).filter((tag) => tag !== '');
}

const listed = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string')
    : typeof value === 'string'
      ? value.split(',')
      : [];

function metadataIn(attributes: Attributes): [string, string][] {
  const pairs: [string, string][] = [];
  const add = (key: string, value: unknown) => {
    if (key !== '' && !isOfFramework(key) && value !== null && value !== undefined)
      pairs.push([bounded(key), bounded(jsonText(value))]);
  };
  for (const [key, value] of attributes) {
    const name = ownName(key);
    if (name !== undefined) {
      if (!meant.has(name) && !name.startsWith(tagPrefix)) add(name, toJson(value));
      continue;
    }
    const prefix = metadataPrefixes.find((each) => key.startsWith(each));
    if (tagLists.has(key)) continue;
    // Langfuse writes each value as JSON, so a text has quotes.
    if (prefix) add(key.slice(prefix.length), jsonAt(attributes, [key])?.value);
    else if (key === 'metadata') {
      const members = parsed(value);
      if (isObject(members)) for (const each of Object.entries(members)) add(...each);
    }
  }
  return pairs;
}

/** The name below a prefix of ours or of Scorecard. */
function ownName(key: string): string | undefined {
  const prefix = prefixes.find((each) => key.startsWith(each));
  return prefix && key.slice(prefix.length);
}

const bounded = (text: string): string => cutText(text, charactersMax);

/** Cuts a text, but no pair of surrogates. */
export const cutText = (text: string, charactersMax: number): string =>
  text.slice(0, charactersMax).toWellFormed();
