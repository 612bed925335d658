import {
  Activity,
  Bot,
  ClipboardCheck,
  FileText,
  GitCompareArrows,
  LayoutDashboard,
  List,
  type LucideIcon,
  Ruler,
  ScanEye,
} from 'lucide-react';
import type { sections } from './sections.ts';

/** The sign of each section, by its shortcut. */
export const sectionIcons: Record<(typeof sections)[number]['shortcut'], LucideIcon> = {
  overview: LayoutDashboard,
  runs: List,
  compareSection: GitCompareArrows,
  testsets: FileText,
  metrics: Ruler,
  review: ClipboardCheck,
  systems: Bot,
  traces: Activity,
  monitors: ScanEye,
};
