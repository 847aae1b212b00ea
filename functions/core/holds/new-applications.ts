/** Applications that a push brings into being. */
export { type ExpectedApplication, setOfHold } from './new-applications/expected-application.ts';
export { expectedApplications } from './new-applications/expected-applications.ts';
