import { doTask } from './pkcs11-session.ts';
import { type Pkcs11Answer, Pkcs11Fault, type Pkcs11Task } from './pkcs11-task.ts';

/**
 * The whole program of the process that uses the module: receives one task from its parent, answers it and ends. The
 * process is separate because calls into the module block, may hang, and run a foreign library: the server can end it,
 * and the next one begins with a new login.
 */
process.once('message', (task: Pkcs11Task) => {
  process.send?.(answer(task), () => {
    process.disconnect();
  });
});

function answer(task: Pkcs11Task): Pkcs11Answer {
  try {
    return { done: true, result: doTask(task) };
  } catch (error) {
    return error instanceof Pkcs11Fault
      ? { done: false, reason: error.reason, detail: error.message }
      : { done: false, reason: 'fault', detail: error instanceof Error ? error.name : 'unknown fault' };
  }
}
