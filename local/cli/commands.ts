import type { ListedCommand } from './command.ts';

/** One more command is one file that exports a `Command`, and one entry here. That file says what the command takes and
 *  refuses; what it works with it loads when it runs, so that help and refusals stay fast
 *  (test/local/cli/loads-late.test.ts). */
export const commands: Readonly<Record<string, ListedCommand>> = {
  ack: {
    about: 'acknowledge an incident: no reminders and no paging for a while',
    load: async () => (await import('./attend.ts')).ack,
  },
  approve: {
    about: 'approve the change that waits in a pool, or take that back',
    load: async () => (await import('./approve.ts')).approve,
  },
  completion: {
    about: 'print the completion of commands and flags for your shell',
    load: async () => (await import('./completion.ts')).completionOf(commands),
  },
  config: {
    about: 'check poolkeeper.yaml, and say what it is understood as',
    load: async () => (await import('./config/config.ts')).config,
  },
  connect: {
    about: 'connect a cluster: account, rights, token, entry in the file',
    load: async () => (await import('./connection/connect.ts')).connect,
  },
  disconnect: {
    about: 'remove everything from a cluster, including holds and pauses',
    load: async () => (await import('./connection/disconnect.ts')).disconnect,
  },
  doctor: {
    about: 'check what Poolkeeper depends on, with a remedy for each fault',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  emergency: {
    about: 'let a pool go now, past its gates and freezes, and tell everybody',
    load: async () => (await import('./emergency.ts')).emergency,
  },
  explain: {
    about: 'say why a pool, node or incident is stuck, live or by must-gather',
    load: async () => (await import('./explain/explain.ts')).explain,
  },
  freeze: {
    about: 'freeze a pool, a cluster or the fleet until an end, with a reason',
    load: async () => (await import('./freeze.ts')).freeze,
  },
  get: {
    about: 'list pools, incidents, holds, sequences, runs or windows',
    load: async () => (await import('./status/get.ts')).get,
  },
  hold: {
    about: 'pause a pool for a limited time, with your name and reason',
    load: async () => (await import('./hold.ts')).hold,
  },
  impact: {
    about: 'predict what a change does to pools and nodes',
    load: async () => (await import('./impact/impact.ts')).impact,
  },
  locks: {
    about: 'show or release the slots of machines outside OpenShift',
    load: async () => (await import('./locks.ts')).locks,
  },
  manifests: {
    about: 'print what a cluster needs: RBAC, policies, notifications, Jobs',
    load: async () => (await import('./manifests.ts')).manifests,
  },
  preflight: {
    about: 'predict what will block the drains before a pool resumes',
    load: async () => (await import('./preflight.ts')).preflight,
  },
  recheck: {
    about: 'check the cluster of an incident now',
    load: async () => (await import('./attend.ts')).recheck,
  },
  record: {
    about: 'record what explain reads, without secrets, for another machine',
    load: async () => (await import('./record.ts')).record,
  },
  replay: {
    about: 'replay a recording: the incidents and messages that would result',
    load: async () => (await import('./replay/replay.ts')).replay,
  },
  reboots: {
    about: 'list which node rebooted when, and because of which change',
    load: async () => (await import('./reboots.ts')).reboots,
  },
  resume: {
    about: 'resume a pool that Poolkeeper holds, with your name and reason',
    load: async () => (await import('./resume.ts')).resume,
  },
  run: {
    about: 'one node at a time: jobs before, the update, jobs after',
    load: async () => (await import('./run/run.ts')).run,
  },
  sequence: {
    about: 'orders over Applications, operators and pools',
    load: async () => (await import('./sequence/sequence.ts')).sequence,
  },
  serve: {
    about: 'run Poolkeeper in a pod of your own cluster, leader by Lease',
    load: async () => (await import('./serve.ts')).serve,
  },
  snooze: {
    about: 'snooze an incident without acknowledging it',
    load: async () => (await import('./attend.ts')).snooze,
  },
  status: {
    about: 'say how things stand, the worst first; --watch goes on',
    load: async () => (await import('./status/status.ts')).status,
  },
  thaw: {
    about: 'end a freeze before its time, with your name and reason',
    load: async () => (await import('./thaw.ts')).thaw,
  },
  wait: {
    about: 'wait until a pool is paused, resumed or updated',
    load: async () => (await import('./status/wait.ts')).wait,
  },
  why: {
    about: 'say why pools are paused, who can change that and how',
    load: async () => (await import('./why/why.ts')).why,
  },
  windows: {
    about: 'show when pools may resume: the windows and their next openings',
    load: async () => (await import('./windows.ts')).windows,
  },
};
