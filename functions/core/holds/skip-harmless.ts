/** Changes that certainly do nothing to the nodes need no pause. */
export { type DisruptionForecast, noForecast, type PushDisruption } from './skip-harmless/disruption-forecast.ts';
export {
  circumstancesMark,
  disruptionOfPush,
  disruptionQuestions,
  mayStayUnpaused,
} from './skip-harmless/disruption-of-push.ts';
export { runningUnpausedSync, stillUnpaused, unpausedNow } from './skip-harmless/unpaused-sync.ts';
