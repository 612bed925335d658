import { attributesOf, attributesText, type MonitorItem } from './monitor-text.ts';

type Filter = MonitorItem['filter'];

/** The settings of a monitor, as the form has them. */
export interface MonitorSettings {
  description: string;
  metricIds: string[];
  filter: Filter;
  sampleRate: number;
  maxPerHour: number | null;
  budgetUsdPerDay: number | null;
  select: string;
}

/** Reads the fields. Other members of a filter stay as they are. */
export function settingsOf(form: FormData, filter: Filter = {}): MonitorSettings {
  const text = (name: string) => `${form.get(name) ?? ''}`.trim();
  const number = (name: string) => (text(name) === '' ? null : Number(text(name)));
  const tags = text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    description: text('description'),
    metricIds: form.getAll('metric').map(String),
    filter: {
      ...filter,
      spanName: text('span') || null,
      attributes: attributesIn(`${form.get('attributes') ?? ''}`, filter.attributes),
      serviceName: text('service') || null,
      model: text('model') || null,
      tags: tags.length > 0 ? tags : null,
    },
    sampleRate: (number('share') ?? 0) / 100,
    maxPerHour: number('maxPerHour'),
    budgetUsdPerDay: number('budget'),
    select: text('select'),
  };
}

/** Values that a line cannot hold stay as they are. */
function attributesIn(written: string, before: Filter['attributes']): Filter['attributes'] {
  const text = written.replaceAll('\r\n', '\n');
  if (text === attributesText(before)) return before;
  const attributes = attributesOf(text);
  return attributes && Object.keys(attributes).length > 0 ? attributes : null;
}
