/** The least a Worker does: an answer of its own. */
export default {
  fetch: () => new Response('{"status":"ok"}', { headers: { "Content-Type": "application/json" } }),
};
