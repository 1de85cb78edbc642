// The server knows the result: whatever the component tells, the page is loaded anew.
for (const name of ['tankeeper-accepted', 'tankeeper-declined', 'tankeeper-expired']) {
  document.addEventListener(name, () => location.reload());
}
// The session is over, or the server does not know the transaction.
document.addEventListener('tankeeper-failed', ({ detail }) => {
  if (detail.final) {
    location.assign('/');
  }
});
