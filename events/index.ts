export { cloudEvent, type EventParts, eventOf } from './envelope.ts';
export { ClusterSeen, OperationSeen, PushSeen, Tick, WorkEvent } from './seen.ts';
export {
  ForeignPauseSeen,
  HoldReleased,
  IncidentDue,
  IncidentOpened,
  IncidentResolved,
  IncidentUpdated,
  NothingDone,
  OverrideSeen,
  PauseConfirmed,
  PoolHeld,
  PoolPaused,
  PoolResumed,
  RaceDecided,
  TellEvent,
} from './told.ts';
