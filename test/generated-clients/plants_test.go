// Runs in the folder of the generated client, beside its files: go-client.test.ts
package plants

import (
	"context"
	"math"
	"os"
	"testing"
)

func TestExactIds(t *testing.T) {
	settings := NewConfiguration()
	settings.Servers = ServerConfigurations{{URL: os.Getenv("PLANTS_URL")}}
	api := NewAPIClient(settings).PlantsAPI
	ctx := context.WithValue(context.Background(), ContextAccessToken, "s3cret")

	ids := []int64{math.MinInt64, math.MaxInt64}
	for _, id := range ids {
		created, _, err := api.CreatePlant(ctx).PlantWithId(*NewPlantWithId(id, "Ficus")).Execute()
		if err != nil || created.GetName() != "Ficus" {
			t.Fatal(created, err)
		}
	}
	listed, _, err := api.ListPlants(ctx).Limit(1).Execute()
	if err != nil || len(listed) != 1 {
		t.Fatal(listed, err)
	}
	for _, id := range ids {
		if response, err := api.DeletePlant(ctx, id).Execute(); err != nil || response.StatusCode != 204 {
			t.Fatal(response, err)
		}
	}

	_, err = api.DeletePlant(ctx, 7).Execute()
	failure, isOurs := err.(*GenericOpenAPIError).Model().(Error)
	if !isOurs || failure.GetError() != 40401 {
		t.Fatal(err)
	}
}
