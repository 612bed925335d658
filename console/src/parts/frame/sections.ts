/** The sections of a project, in the order of the menu, with the shortcut that leads there. */
export const sections = [
  { to: '/projects/$projectId', text: 'Overview', shortcut: 'overview' },
  { to: '/projects/$projectId/runs', text: 'Runs', shortcut: 'runs' },
  { to: '/projects/$projectId/traces', text: 'Traces', shortcut: 'traces' },
  { to: '/projects/$projectId/testsets', text: 'Testsets', shortcut: 'testsets' },
  { to: '/projects/$projectId/metrics', text: 'Metrics', shortcut: 'metrics' },
  { to: '/projects/$projectId/review', text: 'Review', shortcut: 'review' },
  { to: '/projects/$projectId/systems', text: 'Systems', shortcut: 'systems' },
] as const;
