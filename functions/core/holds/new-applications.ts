/** Applications that a push brings into being. */
export { type Newcomer, setOfHold } from './new-applications/expected-application.ts';
export { newcomersOf } from './new-applications/expected-applications.ts';
