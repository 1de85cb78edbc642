// Starts the portal on a loopback address. The environment:
//   TANKEEPER_URL, TANKEEPER_TOKEN  the server, and an API token with the rights admin:init, admin:show, ocra:request,
//                                   ocra:status and ocra:activationcode
//   APP_URL                         where users open the app
//   PORTAL_USERS                    ada:password,bert:password
//   PORT                            6001 by default
import { createPortal } from './portal.js';
import { connectTankeeper } from './tankeeper.js';

const { TANKEEPER_URL, TANKEEPER_TOKEN, APP_URL, PORTAL_USERS, PORT = '6001' } = process.env;
for (const name of ['TANKEEPER_URL', 'TANKEEPER_TOKEN', 'APP_URL', 'PORTAL_USERS']) {
  if (!process.env[name]) {
    console.error(`portal: ${name} is missing`);
    process.exit(2);
  }
}

const portal = createPortal({
  tankeeper: connectTankeeper({ url: TANKEEPER_URL, token: TANKEEPER_TOKEN }),
  users: new Map(PORTAL_USERS.split(',').map((entry) => entry.split(':'))),
  appUrl: APP_URL,
});
const server = portal.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) {
    console.error(`portal: cannot listen on port ${PORT}: ${error.message}`);
    process.exit(1);
  }
  console.log(`portal: http://localhost:${server.address().port}/`);
});
// At once: requests that wait for a confirmation would keep it up to 20 seconds.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => process.exit());
}
