/** The minimal Worker: a constant response. */
export default {
  fetch: () => new Response('{"status":"ok"}', { headers: { "Content-Type": "application/json" } }),
};
