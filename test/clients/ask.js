// Asks the same questions through two unlike MCP clients: node ask.js <url of /mcp> <token> <questions as JSON>
// Prints, for each client, the names of the tools it sees and the texts of its answers.
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const [url, token, json] = process.argv.slice(2);
const questions = JSON.parse(json);
const headers = { Authorization: `Bearer ${token}` };

const askByAiSdk = async () => {
  const client = await createMCPClient({ transport: { type: "http", url, headers } });
  const tools = await client.tools();
  const answers = [];
  for (const { name, args } of questions) {
    const { content } = await tools[name].execute(args, { messages: [], toolCallId: name });
    answers.push(content.map(({ text }) => text));
  }
  await client.close();
  return { names: Object.keys(tools), answers };
};

const askByLangChain = async () => {
  const client = new MultiServerMCPClient({ mcpServers: { salon: { transport: "http", url, headers } } });
  const tools = await client.getTools();
  const answers = [];
  for (const { name, args } of questions) {
    const answer = await tools.find((tool) => tool.name === name).invoke(args);
    answers.push(typeof answer === "string" ? [answer] : answer.map(({ text }) => text));
  }
  await client.close();
  return { names: tools.map(({ name }) => name), answers };
};

console.log(JSON.stringify({ aiSdk: await askByAiSdk(), langChain: await askByLangChain() }));
