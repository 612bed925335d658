import {
  Activity,
  Bot,
  ClipboardCheck,
  FileText,
  GitCompareArrows,
  LayoutDashboard,
  List,
  Ruler,
  ScanEye,
} from 'lucide-react';

/** The sections of a project in the groups of the menu, with the shortcut that leads to each. */
export const sectionGroups = [
  {
    name: 'Evaluate',
    sections: [
      {
        to: '/projects/$projectId',
        text: 'Overview',
        shortcut: 'overview',
        Icon: LayoutDashboard,
      },
      { to: '/projects/$projectId/runs', text: 'Runs', shortcut: 'runs', Icon: List },
      {
        to: '/projects/$projectId/compare',
        text: 'Compare',
        shortcut: 'compareSection',
        Icon: GitCompareArrows,
      },
      {
        to: '/projects/$projectId/testsets',
        text: 'Testsets',
        shortcut: 'testsets',
        Icon: FileText,
      },
      { to: '/projects/$projectId/metrics', text: 'Metrics', shortcut: 'metrics', Icon: Ruler },
      {
        to: '/projects/$projectId/review',
        text: 'Review',
        shortcut: 'review',
        Icon: ClipboardCheck,
      },
    ],
  },
  {
    name: 'Build',
    sections: [
      { to: '/projects/$projectId/systems', text: 'Systems', shortcut: 'systems', Icon: Bot },
    ],
  },
  {
    name: 'Observe',
    sections: [
      { to: '/projects/$projectId/traces', text: 'Traces', shortcut: 'traces', Icon: Activity },
      {
        to: '/projects/$projectId/monitors',
        text: 'Monitors',
        shortcut: 'monitors',
        Icon: ScanEye,
      },
    ],
  },
] as const;

export const sections = sectionGroups.flatMap(({ sections }) => [...sections]);
