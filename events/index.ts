export { ApprovalAsked } from './approval.ts';
export { AlertWork, AttentionAsked, PressRefusal } from './attention.ts';
export { cloudEvent, type EventParts, eventOf } from './envelope.ts';
export { MailFeedback } from './mail-feedback.ts';
export { makeTick } from './make-tick.ts';
export { IncidentNotified } from './notified.ts';
export {
  EmergencyEnded,
  EmergencyOpened,
  ForeignPauseSeen,
  HoldReleased,
  IncidentDue,
  IncidentOpened,
  IncidentResolved,
  IncidentUpdated,
  NodeJoined,
  NodeUpdated,
  NothingDone,
  OverrideSeen,
  PauseConfirmed,
  PoolHeld,
  PoolPaused,
  PoolRendered,
  PoolResumed,
  PublishedEvent,
  PushRelayed,
  RaceDecided,
  SyncRestarted,
} from './published.ts';
export { WebhookDue } from './relay.ts';
export { RequestAsked } from './request.ts';
export { ClusterSeen, FreezeAsked, OperationSeen, PullSeen, PushSeen, Tick, WorkEvent } from './seen.ts';
