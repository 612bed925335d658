/** The sections of a project in the groups of the menu, with the shortcut that leads to each. */
export const sectionGroups = [
  {
    name: 'Evaluate',
    sections: [
      {
        to: '/projects/$projectId',
        text: 'Overview',
        shortcut: 'overview',
      },
      { to: '/projects/$projectId/runs', text: 'Runs', shortcut: 'runs' },
      {
        to: '/projects/$projectId/compare',
        text: 'Compare',
        shortcut: 'compareSection',
      },
      {
        to: '/projects/$projectId/testsets',
        text: 'Testsets',
        shortcut: 'testsets',
      },
      { to: '/projects/$projectId/metrics', text: 'Metrics', shortcut: 'metrics' },
      {
        to: '/projects/$projectId/review',
        text: 'Review',
        shortcut: 'review',
      },
    ],
  },
  {
    name: 'Build',
    sections: [{ to: '/projects/$projectId/systems', text: 'Systems', shortcut: 'systems' }],
  },
  {
    name: 'Observe',
    sections: [
      { to: '/projects/$projectId/traces', text: 'Traces', shortcut: 'traces' },
      {
        to: '/projects/$projectId/monitors',
        text: 'Monitors',
        shortcut: 'monitors',
      },
    ],
  },
] as const;

export const sections = sectionGroups.flatMap(({ sections }) => [...sections]);
