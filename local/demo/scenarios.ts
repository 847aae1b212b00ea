import type { Scenario } from './scenario.ts';

/** A scenario in the list: its line there, and where it is. */
interface ListedScenario {
  readonly about: string;
  readonly load: () => Promise<Scenario>;
}

/** What `npm start` can play. A new scenario is one file and one entry here. */
export const scenarios = {
  push: {
    about: 'one push: pause, sync, resume, a blocked drain, its end',
    load: async () => (await import('./push-scenario.ts')).pushScenario,
  },
  'no-op': {
    about: 'two pushes that change no node: no reboot, and why',
    load: async () => (await import('./no-op-scenario.ts')).noOpScenario,
  },
  'failed-sync': {
    about: 'half a sync: the pool stays paused until it is mended',
    load: async () => (await import('./failed-sync-scenario.ts')).failedSyncScenario,
  },
  degraded: {
    about: 'nothing can be rendered: the message, and its remedy',
    load: async () => (await import('./degraded-scenario.ts')).degradedScenario,
  },
  late: {
    about: 'the pause comes late: what is told, and what is saved',
    load: async () => (await import('./late-scenario.ts')).lateScenario,
  },
  freeze: {
    about: 'nothing rolls out before a person ends the freeze',
    load: async () => (await import('./freeze-scenario.ts')).freezeScenario,
  },
  sequence: {
    about: 'one operator waits for the storage class of another',
    load: async () => (await import('./sequence-steps.ts')).sequenceOfOperators,
  },
  'node-by-node': {
    about: 'a worker at a time: Jobs, update, clean-ups; a Job fails',
    load: async () => (await import('./run-steps.ts')).nodeByNode,
  },
} as const satisfies Readonly<Record<string, ListedScenario>>;

export type ScenarioName = keyof typeof scenarios;

export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(scenarios, name);
}
