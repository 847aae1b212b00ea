import type { ConnectedIn } from '../../../local/cli/doctor/remedy-commands.ts';

/** As `connect --name prod --stage live` leaves it. */
export function aConnected(change: Partial<ConnectedIn> = {}): ConnectedIn {
  return {
    cluster: 'prod',
    tokenSecret: 'poolkeeper/live/prod/token',
    home: 'poolkeeper',
    config: undefined,
    file: change.config ?? 'poolkeeper.yaml',
    ...change,
  };
}
