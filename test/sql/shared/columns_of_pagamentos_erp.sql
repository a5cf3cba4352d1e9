"pagamentos_erp"."id" as "id",
"pagamentos_erp"."erp_id" as "erp_id", "pagamentos_erp"."id_centro_custo" as "id_centro_custo",
"pagamentos_erp"."situacao" as "situacao", "pagamentos_erp"."situacao" = 2 as "pago",
"pagamentos_erp"."nome_conta_classificacao" as "nome_conta_classificacao",
"pagamentos_erp"."id_plano_conta_classificacao" as "id_plano_conta_classificacao",
"pagamentos_erp"."valor"::text as "valor", "pagamentos_erp"."data_vencimento" as "data_vencimento",
"pagamentos_erp"."data_pagamento" as "data_pagamento",
"pagamentos_erp"."descricao" as "descricao", "pagamentos_erp"."raw_data" as "raw_data",
"pagamentos_erp"."synced_at" as "synced_at", "pagamentos_erp"."updated_at" as "updated_at"
